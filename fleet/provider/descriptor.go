package provider

// Descriptor is what the rest of ocaptain knows about a provider before it makes one.
type Descriptor struct {
	Name string // the word that the captain uses
	// Tailnet says that its ships join the captain's tailnet, where there is a secret for it.
	Tailnet bool
	// Arch is the architecture, as Go names it, of all its machines. It is "" when only a machine tells.
	Arch string
}
