package login

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// HostKeyError says that a host's key is not the one that known_hosts has. It is permanent: only
// the captain can know whether the machine is still his.
type HostKeyError struct {
	Host    string // as it is configured
	Changed string // file:line of the key that it should have, "" for a host that is unknown
	Pinned  string // kind and fingerprint of that key
	Seen    string // kind and fingerprint, "" when it has no key of that kind
	Fix     string // command
	revoked bool
}

func (e *HostKeyError) Error() string {
	switch {
	case e.revoked:
		return fmt.Sprintf("host %s: its host key is revoked in %s (%s): not connecting", e.Host, e.Changed, e.Seen)
	case e.Changed == "":
		return fmt.Sprintf("host %s: known_hosts has no key of it; it shows %s: if that is right, accept it with: %s", e.Host, e.Seen, e.Fix)
	}
	seen := "it shows " + e.Seen
	if e.Seen == "" {
		seen = "it has no key of that kind"
	}
	return fmt.Sprintf("host %s: its host key changed: it is not that of %s, %s, but %s: not connecting; another machine answers in its place, or its own was rebuilt: then forget the old key with: %s",
		e.Host, e.Changed, e.Pinned, seen, e.Fix)
}

// hostKeys checks the key of one host against known_hosts.
type hostKeys struct {
	target target
	trust  func(ssh.PublicKey) bool // judges keys of unknown hosts, nil for none
	check  ssh.HostKeyCallback
	want   []knownhosts.KnownKey
}

func newHostKeys(t target, trust func(ssh.PublicKey) bool) (*hostKeys, error) {
	var files []string
	for _, file := range t.known {
		if _, err := os.Stat(file); err == nil {
			files = append(files, file)
		}
	}
	check, err := knownhosts.New(files...)
	if err != nil {
		return nil, fmt.Errorf("host %s: %w", t.place, err)
	}
	h := &hostKeys{target: t, trust: trust, check: check}
	// A key that nobody has makes it tell what it wants.
	var unlike *knownhosts.KeyError
	if errors.As(check(t.checked, nowhere, noKey{}), &unlike) {
		h.want = unlike.Want
	}
	return h, nil
}

// nowhere stands for the address that was connected to, which does not count.
var nowhere = &net.TCPAddr{IP: net.IPv4zero}

type noKey struct{}

func (noKey) Type() string                        { return "none" }
func (noKey) Marshal() []byte                     { return []byte("none") }
func (noKey) Verify([]byte, *ssh.Signature) error { return errors.New("no key") }

// algorithms makes a server with several host keys show one that is known.
func (h *hostKeys) algorithms() []string {
	var all []string
	for _, k := range h.want {
		if k.Key.Type() == ssh.KeyAlgoRSA {
			all = append(all, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
		} else {
			all = append(all, k.Key.Type())
		}
	}
	return all
}

// callback is an ssh.HostKeyCallback.
func (h *hostKeys) callback(_ string, _ net.Addr, key ssh.PublicKey) error {
	err := h.check(h.target.checked, nowhere, key)
	if err == nil {
		return nil
	}
	bad := &HostKeyError{Host: h.target.place.String(), Seen: keyPrint(key)}
	var unlike *knownhosts.KeyError
	var revoked *knownhosts.RevokedError
	switch {
	case errors.As(err, &revoked):
		bad.revoked, bad.Changed = true, where(revoked.Revoked)
	case errors.As(err, &unlike) && len(unlike.Want) == 0:
		if h.trust != nil && h.trust(key) {
			return nil
		}
		bad.Fix = h.firstVisit()
	case errors.As(err, &unlike):
		bad.Changed, bad.Pinned, bad.Fix = where(unlike.Want[0]), keyPrint(unlike.Want[0].Key), h.forget()
	default:
		return fmt.Errorf("host %s: %w", h.target.place, err)
	}
	return bad
}

// refusal finds in a failed handshake that the host key was the reason.
func (h *hostKeys) refusal(err error) *HostKeyError {
	var bad *HostKeyError
	if errors.As(err, &bad) {
		return bad
	}
	var negotiation *ssh.AlgorithmNegotiationError
	if errors.As(err, &negotiation) && len(h.want) > 0 && strings.Contains(negotiation.Error(), "host key") {
		return &HostKeyError{Host: h.target.place.String(), Changed: where(h.want[0]), Pinned: keyPrint(h.want[0].Key), Fix: h.forget()}
	}
	return nil
}

// keyPrint is the kind of a key and its fingerprint.
func keyPrint(key ssh.PublicKey) string { return key.Type() + " " + ssh.FingerprintSHA256(key) }

func where(k knownhosts.KnownKey) string { return fmt.Sprintf("%s:%d", k.Filename, k.Line) }

func (h *hostKeys) forget() string {
	return "ssh-keygen -R '" + knownhosts.Normalize(h.target.checked) + "' -f " + h.want[0].Filename
}

// firstVisit is the command with which the captain sees the key and accepts it.
func (h *hostKeys) firstVisit() string {
	e := h.target.place
	words := []string{"ssh"}
	if e.Port != 0 {
		words = append(words, "-p", fmt.Sprint(e.Port))
	}
	if e.User != "" {
		return strings.Join(append(words, e.User+"@"+e.Host), " ")
	}
	return strings.Join(append(words, e.Host), " ")
}
