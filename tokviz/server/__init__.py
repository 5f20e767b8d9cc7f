"""What a server for strangers needs beside its pages: who comes in, and how many at once."""
