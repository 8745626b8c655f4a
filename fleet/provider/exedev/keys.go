package exedev

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/login"
	"ocaptain/fleet/provider"
)

// Fingerprint is that of the lobby's host key, for captains whose known_hosts has none.
const Fingerprint = "SHA256:JJOP/lwiBGOMilfONPWZCXUrfK154cnJFXcqlsi6lPo"

// lobby is where the captain logs in. The user does not matter there: the key says who it is.
var lobby = login.Place{Host: "exe.dev"}

// logIn connects to the lobby as the captain, as ssh exe.dev would.
func (p *Provider) logIn(ctx context.Context) (*login.Client, error) {
	client, err := p.captain.Connect(ctx, lobby)
	if err != nil {
		return nil, refused(err)
	}
	p.mu.Lock()
	p.ignored = client.Ignored
	p.mu.Unlock()
	return client, nil
}

// isLobbys tells whether a key is the lobby's, for captains whose known_hosts has none of it.
func isLobbys(key ssh.PublicKey) bool { return ssh.FingerprintSHA256(key) == Fingerprint }

// refused says in words why nobody could log in to the lobby. What may pass is broken, anything
// else a refusal.
func refused(err error) error {
	var key *login.HostKeyError
	var denied *login.Denied
	var down *provider.Temporary
	switch {
	case errors.As(err, &key) && key.Host != lobby.String(), errors.As(err, &denied) && denied.Place != lobby:
		return &refusal{text: err.Error()} // of a host on the way
	case key != nil && key.Changed == "":
		return &refusal{text: fmt.Sprintf("not logging in: its key %s is not the one that is known here, %s: run ssh exe.dev once and compare with what exe.dev says, which puts it into known_hosts", key.Seen, Fingerprint)}
	case key != nil && key.Seen == "":
		return &refusal{text: "not logging in: it has no host key of the kind in your known_hosts (" + key.Changed + ")"}
	case key != nil:
		return &refusal{text: fmt.Sprintf("not logging in: its key %s is not the one in your known_hosts (%s): another machine answers in its place, or it has a new key, which exe.dev would tell", key.Seen, key.Changed)}
	case denied != nil:
		return &refusal{text: keyless(denied)}
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("%w; it ignores for a minute or so who connects to it often, and your own ssh exe.dev counts: wait, and it goes on by itself", err)
		return &broken{err: err, undone: true}
	case errors.As(err, &down), errors.Is(err, context.Canceled):
		return &broken{err: err, undone: true}
	}
	return &refusal{text: err.Error()} // ~/.ssh/config asks for what cannot be had
}

// keyless says what is wrong with the captain's keys.
func keyless(d *login.Denied) string {
	wrong := slices.DeleteFunc(slices.Clone(d.Missing), func(why string) bool { return why == login.NoAgent })
	switch {
	case len(d.Offered) > 0:
		return "none of your ssh keys is accepted: run ssh exe.dev once to register one"
	case len(d.Locked) > 0:
		return fmt.Sprintf("the key %s has a passphrase, and no ssh-agent has it: ssh-add %[1]s; or set EXE_TOKEN", d.Locked[0])
	case len(wrong) > 0:
		return "no ssh key can be used: " + strings.Join(wrong, "; ") + "; or set EXE_TOKEN"
	}
	return "there is no ssh key to log in to exe.dev with, neither in an ssh-agent nor in ~/.ssh: make one with ssh-keygen, and register it by running ssh exe.dev once; or set EXE_TOKEN"
}
