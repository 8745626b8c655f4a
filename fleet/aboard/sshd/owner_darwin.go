package sshd

// dropInheritable has nothing to give up: there are no capabilities here.
func dropInheritable() error { return nil }
