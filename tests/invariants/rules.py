"""All rules: each takes a World and yields (object, figures) for every breach."""

import rules_decision
import rules_gang
import rules_node
import rules_pod
import rules_queue
import rules_workload
from world import World

RULES = [rule for part in (rules_node, rules_pod, rules_gang, rules_queue, rules_workload, rules_decision)
         for rule in part.RULES]


def breaches(items, decision, config=None, skip=()):
    """(rule, object, figures) of all that does not hold."""
    world = World(items, decision, config)
    found = []
    for rule in RULES:
        if rule.__name__ not in skip:
            found += [(rule.__name__, str(what), str(figures)) for what, figures in rule(world)]
    return found
