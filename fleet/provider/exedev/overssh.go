package exedev

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/login"
	"ocaptain/sync/bounded"
)

// idleMax is how long a connection is kept that nobody uses.
const idleMax = time.Minute

// overSSH runs commands on one connection to the lobby, which is made when it is needed and
// closed when it has been idle. The caller takes care that there is one command at a time.
type overSSH struct {
	p *Provider

	mu     sync.Mutex
	client *login.Client
	idle   *time.Timer
}

func (o *overSSH) run(ctx context.Context, line string) ([]byte, error) {
	client, err := o.connected(ctx)
	if err != nil {
		return nil, err
	}
	defer o.rest()
	type ending struct {
		out []byte
		err error
	}
	done := make(chan ending, 1)
	go func() {
		out, err := command(client, line)
		done <- ending{out, err}
	}()
	select {
	case e := <-done:
		var lost *broken
		if errors.As(e.err, &lost) {
			o.forget(client)
		}
		return e.out, e.err
	case <-ctx.Done():
	}
	// The command may still be on its way, and the connection need not be bad.
	go func() {
		t := time.AfterFunc(commandMax, func() { o.forget(client) })
		defer t.Stop()
		<-done // at the latest when the connection is closed
	}()
	return nil, &broken{err: ctx.Err()}
}

// command runs one command on a session of its own.
func command(client *login.Client, line string) ([]byte, error) {
	session, err := client.NewSession()
	if err != nil {
		return nil, &broken{err: fmt.Errorf("connection lost: %w", err), undone: true}
	}
	defer session.Close()
	out, errs := bounded.Keep(answerMax), bounded.Keep(4096)
	session.Stdout, session.Stderr = out, errs
	err = session.Run(line)
	var exit *ssh.ExitError
	switch {
	case err == nil && out.Over():
		return nil, &refusal{text: "the answer is too long"}
	case err == nil:
		return out.Bytes(), nil
	case errors.As(err, &exit) && exit.Signal() == "":
		return nil, &refusal{text: reason(out.Bytes(), errs.Bytes()), code: exit.ExitStatus()}
	}
	return nil, &broken{err: fmt.Errorf("connection lost: %w", err)}
}

// connected returns the connection, made now if there is none.
func (o *overSSH) connected(ctx context.Context) (*login.Client, error) {
	o.mu.Lock()
	client := o.client
	if o.idle != nil {
		o.idle.Stop()
	}
	o.mu.Unlock()
	if client != nil {
		return client, nil
	}
	if err := o.p.pace(ctx); err != nil {
		return nil, &broken{err: err, undone: true}
	}
	client, err := o.p.logIn(ctx)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	o.client = client
	o.mu.Unlock()
	go func() {
		_ = client.Wait() // and with it dies the connection
		o.forget(client)
	}()
	return client, nil
}

// rest lets the connection be closed when nobody needs it for a while.
func (o *overSSH) rest() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.idle != nil {
		o.idle.Stop()
	}
	if o.client != nil {
		o.idle = time.AfterFunc(idleMax, o.drop)
	}
}

// drop closes the connection.
func (o *overSSH) drop() {
	o.mu.Lock()
	client := o.client
	if o.idle != nil {
		o.idle.Stop()
	}
	o.mu.Unlock()
	if client != nil {
		o.forget(client)
	}
}

// forget closes a connection that is of no use any more.
func (o *overSSH) forget(client *login.Client) {
	o.mu.Lock()
	if o.client == client {
		o.client = nil
	}
	o.mu.Unlock()
	client.Close()
}
