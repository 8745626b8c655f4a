package hush_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"ocaptain/fleet/hush"
)

func TestRetold(t *testing.T) {
	err := fmt.Errorf("key 0123456789 \x1b[2J: %w", io.EOF)
	got := hush.Retold(err, hush.Without(err.Error(), "0123456789", "key"))
	if got.Error() != "key … \x1b[2J: EOF" || !errors.Is(got, io.EOF) || errors.Unwrap(got) != nil {
		t.Errorf("%v", got)
	}
	if same := hush.Retold(err, err.Error()); same != err { //nolint:errorlint // the very same
		t.Errorf("%v", same)
	}
}
