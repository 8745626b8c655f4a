package exedev

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"
)

// Fingerprint is that of the lobby's host key, for captains whose known_hosts has none.
const Fingerprint = "SHA256:JJOP/lwiBGOMilfONPWZCXUrfK154cnJFXcqlsi6lPo"

// usual are the files that ssh looks into.
var usual = []string{"id_ed25519", "id_ecdsa", "id_rsa"}

// signers are the keys that may open the lobby, in the order in which ssh would try them. They
// can be used until done is called.
func (p *Provider) signers(ctx context.Context) (signers []ssh.Signer, done func(), err error) {
	done = func() {}
	files := []string{p.options.KeyFile}
	var locked, tried []string
	if p.options.KeyFile == "" {
		files = nil
		for _, name := range usual {
			files = append(files, filepath.Join(p.options.Home, ".ssh", name))
		}
	}
	if p.options.Agent != "" {
		// An agent that does not answer is as good as none: files may do.
		if conn, err := new(net.Dialer).DialContext(ctx, "unix", p.options.Agent); err == nil {
			_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
			done = func() { conn.Close() }
			signers, _ = agent.NewClient(conn).Signers()
			if p.options.KeyFile != "" {
				signers = onlyOf(signers, p.options.KeyFile+".pub")
			}
		}
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) && p.options.KeyFile == "" {
			continue
		}
		if err != nil {
			done()
			return nil, nil, &refusal{text: fmt.Sprintf("key for exe.dev: %v", err)}
		}
		signer, err := ssh.ParsePrivateKey(raw)
		var secret *ssh.PassphraseMissingError
		switch {
		case errors.As(err, &secret):
			locked = append(locked, file)
		case err != nil:
			tried = append(tried, file)
		case !slices.ContainsFunc(signers, func(s ssh.Signer) bool {
			return string(s.PublicKey().Marshal()) == string(signer.PublicKey().Marshal())
		}):
			signers = append(signers, signer)
		}
	}
	if len(signers) > 0 {
		return signers, done, nil
	}
	done()
	switch {
	case len(locked) > 0:
		return nil, nil, &refusal{text: fmt.Sprintf("the key %s has a passphrase, and no ssh-agent has it: ssh-add %[1]s, then ocaptain helm stop, so that helm learns of the agent; or set EXE_TOKEN", locked[0])}
	case len(tried) > 0:
		return nil, nil, &refusal{text: fmt.Sprintf("%s is no private key that can be read", tried[0])}
	}
	return nil, nil, &refusal{text: "there is no ssh key to log in to exe.dev with, neither in an ssh-agent nor in ~/.ssh: make one with ssh-keygen, and register it by running ssh exe.dev once; or set EXE_TOKEN"}
}

// onlyOf keeps the key whose public half is in the file.
func onlyOf(signers []ssh.Signer, file string) []ssh.Signer {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey(raw)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(signers, func(s ssh.Signer) bool {
		return string(s.PublicKey().Marshal()) != string(key.Marshal())
	})
}

// hostKey decides whether it is the lobby that answers.
type hostKey struct {
	check      ssh.HostKeyCallback
	algorithms []string // nil for all
}

// lobbyKey takes what the captain's known_hosts say of exe.dev, else the fingerprint known here.
func (p *Provider) lobbyKey() (hostKey, error) {
	file := filepath.Join(p.options.Home, ".ssh", "known_hosts")
	check, err := knownhosts.New(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return hostKey{}, &refusal{text: fmt.Sprintf("known hosts: %v", err)}
	}
	if err == nil {
		// Asking about a key that nobody has tells which ones are known.
		var known *knownhosts.KeyError
		if errors.As(check(lobbyAddr, &net.TCPAddr{IP: net.IPv4zero}, nobody{}), &known) && len(known.Want) > 0 {
			return hostKey{check: strict(check), algorithms: kinds(known.Want)}, nil
		}
	}
	return hostKey{check: func(_ string, _ net.Addr, key ssh.PublicKey) error {
		if got := ssh.FingerprintSHA256(key); got != Fingerprint {
			return fmt.Errorf("its key %s is not the one that is known here, %s: run ssh exe.dev once and compare with what exe.dev says, which puts it into known_hosts", got, Fingerprint)
		}
		return nil
	}}, nil
}

func strict(check ssh.HostKeyCallback) ssh.HostKeyCallback {
	return func(host string, _ net.Addr, key ssh.PublicKey) error {
		// The address differs by the day; the name is what was verified.
		if err := check(host, &net.TCPAddr{IP: net.IPv4zero}, key); err != nil {
			return fmt.Errorf("its key %s is not the one in your known_hosts: another machine answers in its place, or it has a new key, which exe.dev would tell", ssh.FingerprintSHA256(key))
		}
		return nil
	}
}

// kinds are the algorithms of keys that are known, so that the server shows one of these.
func kinds(known []knownhosts.KnownKey) []string {
	var all []string
	for _, k := range known {
		switch kind := k.Key.Type(); kind {
		case ssh.KeyAlgoRSA:
			all = append(all, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
		default:
			all = append(all, kind)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// nobody is a key that is in no file.
type nobody struct{}

func (nobody) Type() string                        { return "none" }
func (nobody) Marshal() []byte                     { return []byte("none") }
func (nobody) Verify([]byte, *ssh.Signature) error { return errors.New("no key") }

// refused says in words why a handshake with the lobby failed.
func refused(err, wrongKey error) error {
	var negotiation *ssh.AlgorithmNegotiationError
	switch {
	case wrongKey != nil:
		return &refusal{text: "not logging in: " + wrongKey.Error()}
	case errors.As(err, &negotiation):
		return &refusal{text: "not logging in: it has no host key of the kind in your known_hosts"}
	case strings.Contains(err.Error(), "unable to authenticate"):
		return &refusal{text: "none of your ssh keys is accepted: run ssh exe.dev once to register one"}
	}
	return &broken{err: err, undone: true}
}
