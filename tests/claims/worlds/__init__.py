"""Results that are made up for the claims of each study, in three worlds.

`exact`: what the paper says, to the digit. `alike`: nothing differs: schedulers, sizes and costs make no difference.
`turned`: what the paper says the other way round. A module a study has `world(name, claim)`, the tables that the
claim's query reads, and `VIEWS` or `views(claim)`, the views that are made of them.
"""
