package providertest

import (
	"errors"
	"io"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provider"
)

func onlyOurKey(t *testing.T, h *harness, m provider.Machine) {
	l := h.link(m, newSigner(t), m.HostKey)
	_, err := l.Run(h.ctx(), link.Command{Argv: []string{"true"}})
	if !errors.Is(err, link.ErrDown) || !errors.Is(err, link.ErrKey) {
		t.Errorf("with a strange key: %v", err)
	}
	h.run(m, "true")
}

func hostKey(t *testing.T, h *harness, m provider.Machine) {
	l := h.link(m, h.signer, "")
	if err := l.AwaitConnected(h.ctx()); err != nil {
		t.Fatal(err)
	}
	if m.HostKey != "" && l.HostKey() != strings.TrimSpace(m.HostKey) {
		t.Errorf("it shows %q, told %q", l.HostKey(), m.HostKey)
	}
	other := string(ssh.MarshalAuthorizedKey(newSigner(t).PublicKey()))
	var changed *link.HostKeyError
	if err := h.link(m, h.signer, other).AwaitConnected(h.ctx()); !errors.As(err, &changed) {
		t.Errorf("with another key pinned: %v", err)
	}
}

func commands(t *testing.T, h *harness, m provider.Machine) {
	l := h.link(m, h.signer, m.HostKey)
	r, err := l.Run(h.ctx(), link.Command{Argv: []string{"cat"}, Stdin: strings.NewReader("through")})
	if err != nil || string(r.Stdout) != "through" {
		t.Errorf("cat: %q, %v", r.Stdout, err)
	}
	_, err = l.Run(h.ctx(), link.Command{Argv: []string{"sh", "-c", "echo oh >&2; exit 42"}})
	var exit *link.ExitError
	if !errors.As(err, &exit) || exit.Code != 42 || exit.Stderr != "oh" {
		t.Errorf("exit 42: %v", err)
	}
	_, err = l.Run(h.ctx(), link.Command{Argv: []string{"sh", "-c", "kill -9 $$"}})
	if !errors.As(err, &exit) || exit.Signal != "KILL" {
		t.Errorf("killed: %v", err)
	}
	if err := l.PutFile(h.ctx(), "dir/secret", 0o600, strings.NewReader("s3cret"), 6); err != nil {
		t.Error(err)
	}
	if got := h.run(m, "cd && cat dir/secret && stat -c ' %a' dir/secret"); got != "s3cret 600" {
		t.Errorf("the file has %q", got)
	}
	if got := h.run(m, `echo "$HOME" && cd && pwd -P && touch here && ls here`); len(strings.Fields(got)) != 3 {
		t.Errorf("its home: %q", got)
	}
}

func terminals(t *testing.T, h *harness, m provider.Machine) {
	l := h.link(m, h.signer, m.HostKey)
	p, err := l.StartPty(h.ctx(), link.Command{Argv: []string{"sh", "-c", "stty size; printf 'a\\nb\\033[1m'; read x; " +
		"while [ \"$(stty size)\" = '30 90' ]; do sleep 0.01; done; stty size; exit 3"}}, link.Terminal{Cols: 90, Rows: 30})
	if err != nil {
		t.Fatal(err)
	}
	read := func(until string) string {
		t.Helper()
		var all []byte
		for b := make([]byte, 1); !strings.HasSuffix(string(all), until); all = append(all, b[0]) {
			if _, err := p.Read(b); err != nil {
				t.Fatalf("after %q: %v", all, err)
			}
		}
		return string(all)
	}
	if got := read("\033[1m"); got != "30 90\r\na\r\nb\033[1m" {
		t.Errorf("got %q", got)
	}
	// What is typed may overtake a resize, so the command waits for the resize.
	if err := p.Resize(100, 40); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(p, "x\r"); err != nil {
		t.Fatal(err)
	}
	read("40 100\r\n")
	_, _ = io.Copy(io.Discard, p)
	var exit *link.ExitError
	if err := p.Wait(); !errors.As(err, &exit) || exit.Code != 3 {
		t.Errorf("got %v", err)
	}
}

func dialMissing(t *testing.T, h *harness) {
	c, err := h.Provider.Dial(h.ctx(), provider.Machine{Name: "ship-0", ID: "none", Addr: "127.0.0.1:1"})
	if err == nil {
		c.Close()
		t.Error("connected")
	}
}
