package serve

import (
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/hook"
	"ocaptain/fleet/aboard/run"
	"ocaptain/fleet/aboard/script"
)

func TestMain(m *testing.M) {
	aboardtest.Main(m, aboardtest.Programs{Run: run.Run, Serve: Run, Hook: hook.Answer, Script: script.Run})
}
