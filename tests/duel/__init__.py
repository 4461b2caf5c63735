"""The duel of step 9: the learner's tests against servers that are right and servers that are broken."""
