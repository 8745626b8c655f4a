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

// HostKeyError says that a ship's server showed another key than the pinned one. It is
// permanent: only the captain can know whether the machine is still his.
type HostKeyError struct {
	Name   string // of the ship
	Pinned string // fingerprints
	Seen   string // empty when the server has no key of the pinned kind
}

func (e *HostKeyError) Error() string {
	seen := "seen " + e.Seen
	if e.Seen == "" {
		seen = "the server has no key of that kind"
	}
	return fmt.Sprintf("%s: the host key changed: pinned %s, %s: not connecting; replace the ship if its machine was rebuilt, otherwise another machine answers in its place",
		e.Name, e.Pinned, seen)
}

// pin is the one host key that a ship may show, known before or learned once.
type pin struct {
	name string
	mu   sync.Mutex
	key  ssh.PublicKey // nil until learned
}

func newPin(cfg Config) (*pin, error) {
	p := &pin{name: cfg.Name}
	if strings.TrimSpace(cfg.HostKey) == "" {
		if !cfg.LearnHostKey {
			return nil, errors.New("not pinned: provision the ship again")
		}
		return p, nil
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(cfg.HostKey))
	p.key = key
	return p, err
}

func (p *pin) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.key == nil {
		return ""
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(p.key)))
}

// check is an ssh.HostKeyCallback.
func (p *pin) check(_ string, _ net.Addr, key ssh.PublicKey) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.key == nil:
		p.key = key
	case !bytes.Equal(p.key.Marshal(), key.Marshal()):
		return &HostKeyError{Name: p.name, Pinned: ssh.FingerprintSHA256(p.key), Seen: ssh.FingerprintSHA256(key)}
	}
	return nil
}

// algorithms makes a server with several host keys show the one that is pinned.
func (p *pin) algorithms() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.key == nil:
		return nil
	case p.key.Type() == ssh.KeyAlgoRSA:
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	default:
		return []string{p.key.Type()}
	}
}

// refusal finds in a failed handshake that the host key was the reason.
func (p *pin) refusal(err error) *HostKeyError {
	var changed *HostKeyError
	if errors.As(err, &changed) {
		return changed
	}
	var negotiation *ssh.AlgorithmNegotiationError
	if errors.As(err, &negotiation) && p.algorithms() != nil && strings.Contains(negotiation.Error(), "host key") {
		p.mu.Lock()
		defer p.mu.Unlock()
		return &HostKeyError{Name: p.name, Pinned: ssh.FingerprintSHA256(p.key)}
	}
	return nil
}
