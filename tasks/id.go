package tasks

import "ocaptain/tasks/pattern"

// Sentinel is the id of the hidden task that keeps Claude Code from wiping a
// finished list. No other task may have it.
const Sentinel = "keep"

var idForm = pattern.New(`^[A-Za-z0-9_-]{1,64}$`)

// ValidID reports whether a task may be called s: 1 to 64 letters, digits, - and _,
// so that the id is safe as a file name, a ref and an argument in quotes.
func ValidID(s string) bool { return idForm().MatchString(s) && s != Sentinel }
