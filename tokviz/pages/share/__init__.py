"""What people take along: links, files, figures."""
