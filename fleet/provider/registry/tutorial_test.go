package registry_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/tokens"
)

// This file is a complete provider. Its service, Barge, would rent machines to the captain; here the service is a directory of this
// machine. The rest of ocaptain knows it by its descriptor, and by a line in the registry:
//
//	barge.Descriptor,

// barge makes machines with a client of the service, which here is package local. With a client that has its own API, each method
// of provider.Provider would translate between the two: names, labels, states, and errors into those of package provider.
type barge struct{ *local.Provider }

// Name implements provider.Provider.
func (barge) Name() string { return "barge" }

// Limits implements provider.Provider.
func (b barge) Limits() provider.Limits {
	l := b.Provider.Limits()
	l.Machines, l.Parallel = 6, 2
	return l
}

// bargeDescriptor describes this provider.
var bargeDescriptor = describe.Provider{
	Name: "barge", Where: "at Barge", Service: "Barge",
	New: func(e describe.Env) (provider.Provider, error) {
		return newBarge(filepath.Join(e.Hub.State, "barge"), filepath.Join(e.Hub.Runtime, "barge"), e.Exe)
	},
	Login: findBargeLogin,
	Variables: []describe.Variable{
		{Name: "BARGE_TOKEN", Login: true},
	},
	Settings: []describe.Setting{{Key: "harbour", Help: "harbour in which machines are made"}},
}

// newBarge returns a client of the service. It sends no request.
func newBarge(root, runtime, exe string) (barge, error) {
	client, err := local.New(local.Options{Root: root, Runtime: runtime, Exe: exe, Args: []string{"aboard", "sshd"}})
	return barge{client}, err
}

// bargeLogin is a login for the service.
type bargeLogin struct {
	hub         fleet.Hub
	token, from string
}

// findBargeLogin looks for a login in the environment, and for a login that an earlier voyage stored on the hub.
func findBargeLogin(c describe.Captain) (describe.Login, error) {
	l := &bargeLogin{hub: c.Hub}
	if l.token, l.from = c.Variable("BARGE_TOKEN"); l.token == "" {
		kept, err := tokens.StoreOf(c.Hub).ReadToken("barge")
		if err != nil || kept.Secret == "" {
			return nil, &describe.Fault{Err: errors.New("ships at Barge need a token, and BARGE_TOKEN is not set"), Fix: "then: export BARGE_TOKEN=…"}
		}
		l.token, l.from = kept.Secret, "an earlier voyage"
	}
	return l, nil
}

// Prove implements describe.Login. If the service could not be asked, the Fault has Unreached set.
func (l *bargeLogin) Prove(context.Context) (string, error) {
	if l.token != os.Getenv("BARGE_TEST_TOKEN") {
		return "", &describe.Fault{Err: errors.New("Barge does not take the token from " + l.from), Fix: "make another"}
	}
	return "takes the token from " + l.from, nil
}

// Keep implements describe.Login.
func (l *bargeLogin) Keep() error {
	if err := l.hub.Make(); err != nil {
		return err
	}
	return tokens.StoreOf(l.hub).KeepToken("barge", tokens.Token{Secret: l.token})
}
