"""Rooms: the phones of a class follow what its teacher shows, and vote."""
