package aboard

import (
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
)

func TestMain(m *testing.M) {
	aboardtest.Main(m, aboardtest.Programs{Run: Run, Serve: Serve, Hook: Hook, Script: Script})
}
