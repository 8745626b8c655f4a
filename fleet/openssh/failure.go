package openssh

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet/provider"
)

// HostKeyError is the error when ssh does not know the key that a host shows. It is permanent: only the captain can
// know whether the machine is his.
type HostKeyError struct {
	Place   Place
	Changed bool   // ssh knows another key of the host
	Said    string // what ssh printed
}

func (e *HostKeyError) Error() string {
	if e.Changed {
		return fmt.Sprintf("host %s: its host key changed: not connecting; another machine answers in its place, or its own was rebuilt: then forget the old key; ssh says: %s", e.Place, e.Said)
	}
	return fmt.Sprintf("host %s: known_hosts has no key of it: run %s once, compare the key that it shows, and accept it; ssh says: %s", e.Place, e.Place.sshCommand(), e.Said)
}

// Denied is the error of a host that accepts none of the captain's keys.
type Denied struct {
	Place Place
	Agent string // why no ssh-agent offered a key, "" when there is an agent
	Said  string // what ssh printed
}

func (e *Denied) Error() string {
	text := fmt.Sprintf("host %s does not let you in: %s", e.Place, e.Said)
	if e.Agent != "" {
		text += "; " + e.Agent
	}
	return text + "; a key with a passphrase must be in the ssh-agent (ssh-add); try: " + e.Place.sshCommand()
}

// sshCommand returns the command with which the captain can see the error himself.
func (p Place) sshCommand() string {
	return "ssh " + strings.TrimPrefix(strings.Join(p.placeArgs(), " "), "-- ")
}

// The last words of ssh before these errors. Only these words distinguish them, since ssh always exits with 255.
const (
	unknownKey = "Host key verification failed."
	changedKey = "REMOTE HOST IDENTIFICATION HAS CHANGED"
	revokedKey = "REVOKED HOST KEY"
	notLetIn   = "Permission denied ("
	noSession  = "Session open refused by peer"
)

// failure returns the error of an ssh that has failed.
func (c *Captain) failure(ctx context.Context, p Place, ended *process) error {
	if ctx.Err() != nil {
		return DownError(ctx, p, context.Cause(ctx))
	}
	text := ended.errs.String()
	said := ShortLine(text)
	switch {
	case strings.Contains(text, unknownKey):
		changed := strings.Contains(text, changedKey) || strings.Contains(text, revokedKey)
		return &HostKeyError{Place: p, Changed: changed, Said: said}
	case strings.Contains(text, notLetIn):
		return &Denied{Place: p, Agent: ended.missing, Said: said}
	}
	if _, err := c.configured(ctx, p); err != nil {
		return err // ssh also exits like this when it cannot read its configuration
	}
	if strings.Contains(text, noSession) {
		said = "sshd_config there must have MaxSessions 10, or a connection is used by too many; ssh says: " + said
	}
	return DownError(ctx, p, errors.New(said))
}

// DownError returns the error of a host that is out of reach.
func DownError(ctx context.Context, p Place, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	} else if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) {
		err = context.DeadlineExceeded // ssh's own timer is a little late
	}
	err = fmt.Errorf("host %s cannot be reached: %w", p, err)
	if errors.Is(err, context.Canceled) {
		return err
	}
	return &provider.Temporary{Err: err}
}
