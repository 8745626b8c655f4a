package describe

import (
	"context"

	"ocaptain/fleet"
)

// Captain is what the captain has said, as far as a login is found in it.
type Captain struct {
	Hub      fleet.Hub
	Install  func() (id string, err error)          // of this install
	Variable func(name string) (value, from string) // of the environment, and of .env where that counts
	Setting  func(key string) (value, from string)  // of config.yaml, "" where it is not set
}

// Login opens a provider. It was found without a question to anybody.
type Login interface {
	// Prove asks the provider whether it takes the login, and returns whose it is and where it was found, in words.
	Prove(ctx context.Context) (string, error)
	// Keep leaves the login with the hub, where helm finds it. It is called after Prove.
	Keep() error
}

// Fault is why a provider cannot be opened, and what to do about that.
type Fault struct {
	Err       error
	Fix       string // may have lines
	Unreached bool   // it could not be asked: the login may be good
	Refused   bool   // the login may be good, and something would be lost with it
}

func (f *Fault) Error() string { return f.Err.Error() }
func (f *Fault) Unwrap() error { return f.Err }
