package sshd

// dropInheritable does nothing: macOS has no capabilities.
func dropInheritable() error { return nil }
