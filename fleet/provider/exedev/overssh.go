package exedev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider"
	"ocaptain/sync/bounded"
)

// Fingerprint is the fingerprint of the lobby's host key, for captains who do not have the key in known_hosts.
const Fingerprint = "SHA256:JJOP/lwiBGOMilfONPWZCXUrfK154cnJFXcqlsi6lPo"

// lobbyPlace is the place to log in to. The user is irrelevant, since the lobby recognises the captain by his key.
var lobbyPlace = openssh.Place{Host: "exe.dev"}

// sshOptions are the ssh options for the lobby, in addition to ~/.ssh/config.
func (l *lobby) sshOptions() []string {
	// ssh replaces %f, %H, %t and %K by the fingerprint, the host name, the kind of key and the key.
	options := []string{"-o", `KnownHostsCommand=/bin/sh -c 'test "$1" != ` + Fingerprint + ` || echo "$2 $3 $4"' known %f %H %t %K`}
	if l.options.KeyFile != "" {
		options = append(options, "-o", "IdentityFile="+l.options.KeyFile, "-o", "IdentitiesOnly=yes")
	}
	return options
}

// connect makes a connection to the lobby, unless there is one. All processes share it.
func (l *lobby) connect(ctx context.Context) error {
	unlock, err := lock(ctx, l.options.Dir, "lobby connections") // no machine has this name, as it has a space
	if err != nil {
		return &broken{err: err, undone: true}
	}
	defer unlock(false)
	if l.ssh.IsUp() {
		return nil
	}
	if file := l.options.KeyFile; file != "" {
		if _, err := os.Stat(file); err != nil { // without the file, ssh would use other keys, and might log in as somebody else
			return &refusal{text: "no ssh key can be used: " + err.Error()}
		}
	}
	if err := l.awaitTurn(ctx); err != nil {
		return &broken{err: err, undone: true}
	}
	if err := l.ssh.Connect(ctx, l.sshOptions()...); err != nil {
		return refused(err)
	}
	return nil
}

// overSSH executes one command in the lobby. The caller makes sure that only one command runs at a time.
func (l *lobby) overSSH(ctx context.Context, line string) ([]byte, error) {
	if err := l.connect(ctx); err != nil {
		return nil, err
	}
	out := bounded.NewOutput(answerMax)
	said, err := l.ssh.Run(ctx, line, nil, out)
	var exit *exec.ExitError
	switch {
	case err == nil && out.IsOver():
		return nil, &refusal{text: "the answer is too long"}
	case err == nil:
		return out.Bytes(), nil
	case errors.As(err, &exit):
		return nil, &refusal{text: reason(out.Bytes(), []byte(said)), code: exit.ExitCode()}
	case ctx.Err() == nil && l.ssh.IsUp(): // the command itself exited with 255, the code of an ssh that fails
		return nil, &refusal{text: reason(out.Bytes(), []byte(said)), code: 255}
	}
	return nil, &broken{err: fmt.Errorf("connection lost: %w", err)}
}

// refused says in words why the login to the lobby failed. An error that may pass is a *broken, any other a *refusal.
func refused(err error) error {
	var key *openssh.HostKeyError
	var denied *openssh.Denied
	var down *provider.Temporary
	switch {
	case errors.As(err, &key) && key.Place == lobbyPlace && !key.Changed:
		return &refusal{text: "not logging in: its key is not the known key " + Fingerprint + ": run ssh exe.dev once and compare with what exe.dev says, which puts it into known_hosts"}
	case errors.As(err, &key) && key.Place == lobbyPlace:
		return &refusal{text: "not logging in: its key is not the one in your known_hosts: another machine answers in its place, or it has a new key, which exe.dev would tell; ssh says: " + key.Said}
	case errors.As(err, &denied) && denied.Place == lobbyPlace:
		return &refusal{text: err.Error() + "; run ssh exe.dev once to register a key, or set EXE_TOKEN", login: true}
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("%w; it ignores for a minute or so who connects to it often, and your own ssh exe.dev counts: wait, and it goes on by itself", err)
		return &broken{err: err, undone: true}
	case errors.As(err, &down), errors.Is(err, context.Canceled):
		return &broken{err: err, undone: true}
	}
	return &refusal{text: err.Error()} // ~/.ssh/config cannot be read, or a jump host has another key
}
