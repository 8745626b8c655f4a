package run

import (
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/hook"
	"ocaptain/fleet/aboard/script"
	"ocaptain/fleet/aboard/serve"
)

func TestMain(m *testing.M) {
	aboardtest.Main(m, aboardtest.Programs{Run: Run, Serve: serve.Run, Hook: hook.Answer, Script: script.Run})
}
