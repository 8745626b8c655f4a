package exedevtest

import (
	"fmt"
	"sync"
)

// Tokens are the tokens for the HTTPS API.
type Tokens struct {
	mu   sync.Mutex
	made int                 // number of tokens made
	of   map[string][]string // by token, the commands that it allows
}

// Token makes a token for the HTTPS API that allows these commands.
func (t *Tokens) Token(commands ...string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	token := fmt.Sprintf("exe1.secret%d", t.made)
	t.made++
	t.of[token] = commands
	return token
}

// Revoke makes a token invalid.
func (t *Tokens) Revoke(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, token)
}

// allows returns the commands that a token allows; ok is false for an invalid token.
func (t *Tokens) allows(token string) (commands []string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	commands, ok = t.of[token]
	return commands, ok
}
