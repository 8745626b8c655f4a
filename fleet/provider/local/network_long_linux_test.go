//go:build long

package local_test

import (
	"testing"
)

// A ship that cannot have its own network shares this machine's, and says so. The kernel keeps it from abstract
// sockets if it can. A ship that had its own network does not start again without one.
func TestNetworkShared(t *testing.T) { eachCaptain(t, shareNetwork) }
