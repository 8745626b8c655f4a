//go:build !tsnet

package tailnet

import (
	"context"
	"errors"
)

// Embedded says that this program can be a node by itself.
const Embedded = false

// embed is for programs that are built with the tag tsnet.
func embed(context.Context, string, string, Pass) (node, error) {
	return nil, errors.New("this ocaptain was built without a tailnet of its own: start Tailscale here, or use a release")
}
