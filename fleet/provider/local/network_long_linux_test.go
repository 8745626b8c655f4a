//go:build long

package local_test

import (
	"testing"
)

// A ship that can have no network of its own shares this machine's, and says so. The kernel keeps it from abstract
// sockets if it can. A ship that had its own network does not come back with less.
func TestNetworkShared(t *testing.T) { eachCaptain(t, shareNetwork) }
