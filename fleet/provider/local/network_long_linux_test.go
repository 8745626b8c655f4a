//go:build long

package local_test

import (
	"testing"
)

// Where a ship can have no network of its own it shares this machine's, which is said, but for abstract sockets, if the
// kernel can keep it from those. One that had its own does not come back with less.
func TestNetworkShared(t *testing.T) { eachCaptain(t, shareNetwork) }
