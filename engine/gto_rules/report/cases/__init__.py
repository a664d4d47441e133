"""Results of the cases beside rules, for people and for programs."""
