"""Which of very many failures are tried."""


def spread(found, runs):
    """At most `runs` of them: the first third in order, then evenly over the rest. None: all."""
    if runs is None or len(found) <= runs:
        return found
    early = runs // 3
    rest, wanted = found[early:], runs - early
    return found[:early] + [rest[(2 * i + 1) * len(rest) // (2 * wanted)] for i in range(wanted)]
