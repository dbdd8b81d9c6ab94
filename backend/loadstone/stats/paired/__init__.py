"""Pairs of one interleaved session: the order of trials, moderated variances, the t test, shares. Pure."""
