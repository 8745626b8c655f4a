package provider

import "context"

// Install is the label that says which install made a machine: two captains with one account tell their
// machines apart by it.
const Install = "ocaptain"

// AllLister is a provider that may have machines which List does not return and Destroy leaves alone:
// machines of other installs, and machines of this install that no file here records any more.
type AllLister interface {
	// ListAll returns all machines whose names begin with prefix, whatever install made them. The
	// label Install is the id of that install, if known. Beside an error, which says what could not
	// be asked, ListAll may return the machines of other places.
	ListAll(ctx context.Context, prefix string) ([]Machine, error)

	// DestroyListed destroys a machine as ListAll told of it, whosever it is. What it returns means the
	// same as that of Destroy; when the name is another machine's now, it is ErrTaken.
	DestroyListed(ctx context.Context, m Machine) error
}

// Accounted is a provider whose machines belong to an account there. What is not there in one account
// says nothing about another.
type Accounted interface {
	// Whose names the account that is asked now, as the captain knows it; "" when nothing tells.
	Whose(ctx context.Context) (string, error)
}
