"""Pages: what the API says, for people. Templates escape everything; scripts and styles are files of ours."""
