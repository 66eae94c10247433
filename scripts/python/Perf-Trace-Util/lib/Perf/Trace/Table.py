"""Counts as tables, and whom a script is to look at: what the scripts that come along share.

SPDX-License-Identifier: Apache-2.0
"""
import os
import sys


def options(flags=(), valued=()):
    """The command line as a dict; an unknown argument ends the script."""
    given, words = {}, iter(sys.argv[1:])
    for word in words:
        if word in valued:
            given[word] = next(words, None)
        elif word in flags:
            given[word] = True
        if given.get(word) is None:
            name = os.path.basename(sys.argv[0])[:-len(".py")]
            sys.exit("%s: %s" % (name, "%s needs a value" % word if word in valued else "unknown argument '%s'" % word))
    return given


class Chosen:
    """A program's name or a process, from the command line; nothing: everybody."""

    def __init__(self, words=None):
        words = sys.argv[1:] if words is None else words
        self.comm = self.pid = None
        if words:
            if words[0].isdigit():
                self.pid = int(words[0])
            else:
                self.comm = words[0]

    def has(self, comm, pid):
        return (self.comm is None or comm == self.comm) and (self.pid is None or pid == self.pid)

    def text(self):
        return " of %s" % (self.comm or self.pid) if self.comm or self.pid is not None else ""


def by_count(counts):
    """(key, count), most frequent first; equal ones by key."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))


def print_counts(title, head, counts):
    """One line for each count, and their total."""
    print("%s\n" % title)
    print("%-40s %12s" % (head, "count"))
    print("%s %s" % ("-" * 40, "-" * 12))
    for key, count in by_count(counts):
        print("%-40s %12d" % (key, count))
    print("%-40s %12d" % ("total", sum(counts.values())))


def microseconds(ns):
    return "%.3f" % (ns / 1000.0)
