package packages

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ocaptain/fleet/fetch"
)

// Latest is the tag of a package's newest version.
const Latest = "latest"

// Resolve returns a version of an agent, which may be Latest, as a Release. The registry says for which processors the
// version exists, and their digests.
func Resolve(ctx context.Context, agent, version string) (Release, error) {
	tested := Tested(agent)
	if tested == "" {
		return Release{}, fmt.Errorf("ocaptain fetches no %s, so it has no versions to choose from", agent)
	}
	if version == Latest {
		for _, p := range all[agent] {
			newest, err := fetch.Look(ctx, p.Name, Latest)
			if err != nil {
				return Release{}, fmt.Errorf("newest version of %s: %w", agent, err)
			}
			version, _, _ = strings.Cut(newest.Version, "-linux-")
			break
		}
	}
	if version == tested {
		return Release{}, nil
	}
	r := Release{Version: version, Sums: map[string]string{}}
	var absent error
	for machine, p := range all[agent] {
		a, err := fetch.Look(ctx, p.Name, version+strings.TrimPrefix(p.Version, tested))
		switch {
		case errors.Is(err, fetch.ErrAbsent):
			absent = err
		case err != nil:
			return Release{}, fmt.Errorf("%s %s: %w", agent, version, err)
		default:
			r.Sums[machine] = a.Sum
		}
	}
	if len(r.Sums) == 0 {
		return Release{}, fmt.Errorf("%s has no version %.40s: %w", agent, version, absent)
	}
	return r, nil
}
