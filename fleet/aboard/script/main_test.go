package script

import (
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/hook"
	"ocaptain/fleet/aboard/run"
	"ocaptain/fleet/aboard/serve"
)

func TestMain(m *testing.M) {
	aboardtest.Main(m, aboardtest.Programs{Run: run.Run, Serve: serve.Run, Hook: hook.Answer, Script: Run})
}
