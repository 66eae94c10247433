"""Call chains as folded lines: a handler that takes each sample's chain, as both programs are timed with."""
stacks = {}


def process_event(param_dict):
    names = [frame["sym"]["name"] if "sym" in frame else "?" for frame in param_dict["callchain"]]
    stack = ";".join([param_dict["comm"], *names[::-1]])
    stacks[stack] = stacks.get(stack, 0) + 1


def trace_end():
    for stack, count in sorted(stacks.items()):
        print(stack, count)
