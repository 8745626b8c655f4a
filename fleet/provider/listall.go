package provider

import "context"

// Install is the label that says which install made a machine: two captains with one account tell their
// machines apart by it.
const Install = "ocaptain"

// AllLister is a provider where machines may be that List does not tell of and that Destroy leaves alone:
// those of other installs, and those of this one that nothing is kept of here any more.
type AllLister interface {
	// ListAll returns all machines whose names begin with prefix, whoever made them. The label
	// Install is the id of the install that did, as far as anything tells. With an error that
	// says what could not be asked there may be machines from elsewhere.
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
