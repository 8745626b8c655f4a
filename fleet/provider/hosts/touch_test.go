package hosts_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"ocaptain/tasks/eventually"
)

// untouched is an ssh-agent whose key waits for a touch that never comes.
type untouched struct {
	agent.Agent
	asked chan<- struct{}
	never <-chan struct{}
}

func (u untouched) Sign(ssh.PublicKey, []byte) (*ssh.Signature, error) {
	select {
	case u.asked <- struct{}{}:
	default:
	}
	<-u.never
	return nil, errors.New("not touched")
}

// A login ends when its context does, even while the ssh-agent waits for the captain.
func TestNoTouch(t *testing.T) {
	t.Parallel()
	p := newPort(t)
	p.start("quay", nil)
	raw, err := os.ReadFile(p.Key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := ssh.ParseRawPrivateKey(raw)
	if err != nil {
		t.Fatal(err)
	}
	keys := agent.NewKeyring()
	if err := keys.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "touch-") // a socket needs a short path
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	listener, err := net.Listen("unix", filepath.Join(dir, "agent"))
	if err != nil {
		t.Fatal(err)
	}
	asked, never := make(chan struct{}, 1), make(chan struct{})
	defer listener.Close()
	defer close(never)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _ = agent.ServeAgent(untouched{keys, asked, never}, conn); conn.Close() }()
		}
	}()
	p.Configure("Host *\n  IdentityAgent " + listener.Addr().String() + "\n")
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := p.provider().Create(ctx, newSpec(t, "ship-0"))
		ended <- err
	}()
	select {
	case <-asked:
	case err := <-ended:
		t.Fatalf("the agent was not asked: %v", err)
	}
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	case <-eventually.Context(t).Done():
		t.Error("it waits for ever")
	}
}
