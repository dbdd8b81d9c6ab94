"""Operating characteristics of every statistical verdict, on made-up data whose truth is known."""
