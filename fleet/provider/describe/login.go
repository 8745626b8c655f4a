package describe

import (
	"context"

	"ocaptain/fleet"
)

// Captain gives access to the captain's settings in which a login may be.
type Captain struct {
	Hub      fleet.Hub
	Install  func() (id string, err error)          // returns the id of this install
	Variable func(name string) (value, from string) // returns an environment variable, or one in .env where that is allowed
	Setting  func(key string) (value, from string)  // returns a setting of config.yaml, "" if it is not set
}

// Login is a login for a provider, found without asking the provider.
type Login interface {
	// Prove asks the provider whether it accepts the login. It returns in words whose login it is and where it was found.
	Prove(ctx context.Context) (string, error)
	// Keep stores the login on the hub, where helm finds it. Call Prove before.
	Keep() error
}

// Fault is the error of a provider that cannot be used, and says what to do about it.
type Fault struct {
	Err       error
	Fix       string // may have several lines
	Unreached bool   // the provider could not be asked, so the login may be good
	Refused   bool   // the login may be good, but with it ocaptain would lose sight of machines that it has made
}

func (f *Fault) Error() string { return f.Err.Error() }
func (f *Fault) Unwrap() error { return f.Err }
