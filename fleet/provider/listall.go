package provider

import "context"

// Install is the label with the id of the install that made a machine. Two captains with the same account tell their
// machines apart by it.
const Install = "ocaptain"

// AllLister is a provider that may have machines which List does not return and Destroy does not touch: machines of
// other installs, and machines of this install without a record here.
type AllLister interface {
	// ListAll returns all machines whose names begin with prefix, whichever install made them. The label Install is the
	// id of that install, if known. ListAll may return machines together with an error that says what could not be asked.
	ListAll(ctx context.Context, prefix string) ([]Machine, error)

	// DestroyListed destroys a machine that ListAll returned, whichever install made it. Its results mean the same as
	// those of Destroy. It returns ErrTaken when another machine has the name by now.
	DestroyListed(ctx context.Context, m Machine) error
}

// Accounted is a provider whose machines belong to an account. That one account lacks a machine says nothing about
// another account.
type Accounted interface {
	// Whose returns the name of the account that is logged in, as the captain knows it; "" when unknown.
	Whose(ctx context.Context) (string, error)
}
