package exedev

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider"
)

// identity is the user that is logged in, according to the lobby.
type identity struct {
	Email string `json:"email"`
	Keys  []struct {
		Fingerprint string `json:"fingerprint"`
	} `json:"ssh_keys"`
}

// whoami asks the lobby who is logged in, and cleans the answer for display.
func (l *lobby) whoami(ctx context.Context) (identity, error) {
	var me identity
	out, err := l.runAgain(ctx, "whoami", "--json")
	if err == nil {
		err = decode(out, &me)
	}
	if me.Email = shortLine([]byte(me.Email)); err == nil && me.Email == "" {
		err = &provider.Temporary{Err: fmt.Errorf("exe.dev: whoami: an answer without a name: %s", shortLine(out))}
	}
	return me, err
}

// checkAccount returns an error if a machine belongs to another account, since an account's list says nothing about
// machines of another one. If exe.dev never named the machine's account, it returns nil.
func (r *record) checkAccount(account string) error {
	if r.Account == "" || account == "" || r.Account == account {
		return nil
	}
	return fmt.Errorf("exe.dev machine %s belongs to the account %s, and the login is %s's: log in as %[2]s, with its ssh key or EXE_TOKEN; ocaptain doctor --provider exedev tells who you are there",
		r.Name, r.Account, account)
}

// addKey adds a key to the account, unless the account has it, and returns the account.
func (l *lobby) addKey(ctx context.Context, key ssh.PublicKey) (account string, err error) {
	// Many ships are made at the same time, and it is enough if one of them asks.
	if err := l.letting.Lock(ctx); err != nil {
		return "", fmt.Errorf("exe.dev: %w", err)
	}
	defer l.letting.Unlock()
	me, err := l.askIdentity(ctx)
	if err != nil {
		return "", err
	}
	print := ssh.FingerprintSHA256(key)
	login := me.Email + " " + print
	known := l.keys[login]
	if known {
		return me.Email, nil
	}
	for _, k := range me.Keys {
		known = known || strings.TrimPrefix(k.Fingerprint, "SHA256:") == strings.TrimPrefix(print, "SHA256:")
	}
	if !known {
		words := append([]string{"ssh-key", "add"}, strings.Fields(string(ssh.MarshalAuthorizedKey(key)))...)
		if _, err := l.runAgain(ctx, words...); err != nil && !strings.Contains(err.Error(), "already") {
			return "", fmt.Errorf("the key of ocaptain cannot be registered: %w; do it with: ssh exe.dev %s", err, strings.Join(words, " "))
		}
	}
	l.keys[login] = true
	return me.Email, nil
}
