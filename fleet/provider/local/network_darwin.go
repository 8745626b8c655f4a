package local

import (
	"context"
	"errors"
	"net/netip"
	"os"
)

var errNoNamespaces = errors.New("macOS has no network namespaces")

func networkPrograms() (found struct{ pasta, nsenter string }, err error) {
	return found, errNoNamespaces
}

func (n *network) connect(context.Context, int, *os.File) error { return errNoNamespaces }

func closeAddresses([]netip.Addr) error { return errNoNamespaces }

func scopesAbstract() bool { return false }

func (c *children) scope() {}
