"""What a scheduler's timeline was shown with in a window: here as text, one line per row, so that it needs no toolkit.

RootFrame(tracer, title) asks the tracer as before: nr_rectangles(), interval(), fill_zone(start, end), and is told by it
what to paint: paint_rectangle_zone(row, colour, top colour, start, end). A row is a line of WIDTH characters; the
darker a moment, the denser its character.

SPDX-License-Identifier: Apache-2.0
"""
WIDTH = 100
SHADES = " .:-=+*#%@"


class RootFrame:
    Y_OFFSET = 100
    RECT_HEIGHT = 100
    RECT_SPACE = 50

    def __init__(self, sched_tracer, title, parent=None, id=-1):
        self.sched_tracer = sched_tracer
        self.title = title
        self.start, self.end = sched_tracer.interval()
        self.rows = [[0.0] * WIDTH for _ in range(sched_tracer.nr_rectangles() + 1)]
        sched_tracer.set_root_win(self)

    def Show(self, show=True):
        self.sched_tracer.fill_zone(self.start, self.end)
        print(self.title)
        for number, row in enumerate(self.rows):
            print("%4d |%s|" % (number, "".join(SHADES[min(int(level * 9.99), 9)] for level in row)))

    def paint_rectangle_zone(self, nr, color, top_color, start, end):
        span = max(self.end - self.start, 1)
        red, green, blue = color
        level = 1 - min(red + green + blue, 765) / 765
        for at in range(int((start - self.start) * WIDTH / span), int((end - self.start) * WIDTH / span) + 1):
            if 0 <= at < WIDTH and nr < len(self.rows):
                self.rows[nr][at] = max(self.rows[nr][at], level)

    def update_summary(self, txt):
        print(txt)


class wx:
    """As much of the toolkit's name as scripts say."""

    class App:
        def __init__(self, redirect=False):
            pass

        def MainLoop(self):
            pass
