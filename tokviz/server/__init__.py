"""What a server for strangers needs around its pages."""
