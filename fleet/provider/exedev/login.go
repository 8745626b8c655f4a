package exedev

import (
	"context"
	"fmt"
	"time"

	"ocaptain/fleet/openssh"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/tokens"
)

// login is a login for exe.dev: a token, or the captain's ssh keys.
type login struct {
	captain describe.Captain
	token   string // from the captain's environment, "" for the stored token, or for ssh
	how     string
	fix     string
}

// findLogin looks for a token in the environment, then for a stored token; if there is none, it uses ssh.
func findLogin(c describe.Captain) (describe.Login, error) {
	l := &login{captain: c, fix: "ssh exe.dev whoami must work without a question, or set EXE_TOKEN"}
	store := tokens.StoreOf(c.Hub)
	file := store.File("exedev")
	kept, err := store.ReadToken("exedev")
	var from string
	if l.token, from = c.Variable("EXE_TOKEN"); l.token != "" {
		l.how = "; by EXE_TOKEN, from " + from
	} else if err != nil {
		return nil, &describe.Fault{Err: err, Fix: "remove the file, or set EXE_TOKEN"}
	} else if kept.Secret != "" {
		l.how, l.fix = "; by the token kept in "+file, "set EXE_TOKEN to another token, or remove "+file+" to go back to SSH"
	}
	return l, nil
}

// Prove implements describe.Login. It also stores where the captain's ssh-agent is, since helm may have been started
// before the agent.
func (l *login) Prove(ctx context.Context) (string, error) {
	hub := l.captain.Hub
	if err := hub.Make(); err != nil {
		return "", err
	}
	if err := openssh.RememberOwn(hub.State); err != nil {
		return "", err
	}
	id, err := l.captain.Install()
	if err != nil {
		return "", err
	}
	p, err := Of(describe.Env{Hub: hub, Install: id}, l.token)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	account, err := p.Account(ctx)
	if err != nil {
		p.Close() // the next login may be as somebody else
		return "", &describe.Fault{Err: fmt.Errorf("%w%s", err, l.how), Fix: l.fix, Unreached: Unreached(err)}
	}
	return account.String() + l.how, nil
}

// Keep implements describe.Login.
func (l *login) Keep() error {
	if l.token == "" {
		return nil
	}
	return tokens.StoreOf(l.captain.Hub).KeepToken("exedev", tokens.Token{Secret: l.token})
}
