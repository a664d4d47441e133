"""Rules for people: one page model behind ``rules explain`` and the reference pages."""
