//go:build long

package voyage

import "ocaptain/fleet"

// Helm dies at more moments.
func init() {
	replaced := func(k *killing) bool { return k.ship().Built == 2 && k.ship().Step == "create" }
	moments = append(moments,
		moment{name: "before create", when: func(k *killing) bool { return k.booked() }, goes: true},
		moment{name: "created", when: func(k *killing) bool { return k.there() > 0 }},
		moment{name: "nothing asked yet", when: atStep("create")},
		moment{name: "reach", when: atStep("reach")},
		moment{name: "aboard", when: atStep("aboard")},
		moment{name: "clone", when: atStep("clone")},
		moment{name: "launch", when: atStep("launch")},
		moment{name: "replace, new one asked for", does: "replace", when: replaced, goes: true},
		moment{name: "replace, old one going", does: "replace", when: func(k *killing) bool { return k.ship().Phase == fleet.Going }, goes: true},
		moment{name: "replace, new one asked for, and sunk", does: "replace", when: replaced},
	)
}
