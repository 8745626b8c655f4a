package link

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
)

// HostKeyError is the error when a ship's server shows another key than the pinned one. Only the captain can know
// whether the machine is still his.
type HostKeyError struct {
	Name   string // of the ship
	Pinned string // fingerprints of the pinned keys
	Seen   string // fingerprint of the other key; "" when the server has no key of the pinned kind
}

func (e *HostKeyError) Error() string {
	seen := "seen " + e.Seen
	if e.Seen == "" {
		seen = "the server has no key of that kind"
	}
	return fmt.Sprintf("%s: the host key changed: pinned %s, %s: not connecting; another machine answers in its place, or its own was rebuilt: then replace the ship",
		e.Name, e.Pinned, seen)
}

// pin holds the host keys that a ship may show: known before, or learned from the first connection. There are several
// if it has more than one server.
type pin struct {
	name string
	mu   sync.Mutex
	keys []ssh.PublicKey // none until one is learned
}

func newPin(cfg Config) (*pin, error) {
	p := &pin{name: cfg.Name}
	if strings.TrimSpace(cfg.HostKey) == "" {
		if !cfg.LearnHostKey {
			return nil, errors.New("not pinned: provision the ship again")
		}
		return p, nil
	}
	for rest := []byte(strings.TrimSpace(cfg.HostKey)); len(rest) > 0; {
		var key ssh.PublicKey
		var err error
		if key, _, _, rest, err = ssh.ParseAuthorizedKey(rest); err != nil {
			return nil, err
		}
		p.keys = append(p.keys, key)
	}
	return p, nil
}

func (p *pin) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var lines []string
	for _, key := range p.keys {
		lines = append(lines, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))))
	}
	return strings.Join(lines, "\n")
}

// fingerprints returns the fingerprints of all pinned keys. The caller holds mu.
func (p *pin) fingerprints() string {
	var all []string
	for _, key := range p.keys {
		all = append(all, ssh.FingerprintSHA256(key))
	}
	return strings.Join(all, " or ")
}

// checkHostKey implements ssh.HostKeyCallback.
func (p *pin) checkHostKey(_ string, _ net.Addr, key ssh.PublicKey) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.keys) == 0 {
		p.keys = append(p.keys, key)
	}
	for _, pinned := range p.keys {
		if bytes.Equal(pinned.Marshal(), key.Marshal()) {
			return nil
		}
	}
	return &HostKeyError{Name: p.name, Pinned: p.fingerprints(), Seen: ssh.FingerprintSHA256(key)}
}

// algorithms returns the algorithms that make a server with several host keys show a pinned key.
func (p *pin) algorithms() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, key := range p.keys {
		if key.Type() == ssh.KeyAlgoRSA {
			all = append(all, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
		} else {
			all = append(all, key.Type())
		}
	}
	return all
}

// refusal returns the HostKeyError if the handshake failed because of the host key, else nil.
func (p *pin) refusal(err error) *HostKeyError {
	var changed *HostKeyError
	if errors.As(err, &changed) {
		return changed
	}
	var negotiation *ssh.AlgorithmNegotiationError
	if errors.As(err, &negotiation) && p.algorithms() != nil && strings.Contains(negotiation.Error(), "host key") {
		p.mu.Lock()
		defer p.mu.Unlock()
		return &HostKeyError{Name: p.name, Pinned: p.fingerprints()}
	}
	return nil
}
