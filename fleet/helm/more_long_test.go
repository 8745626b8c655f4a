//go:build long

package helm

// Tests of random trouble, and of helm's death at many moments, go on for longer.
func init() {
	attackSeeds = append(attackSeeds, 2)
	forgettingSeeds = append(forgettingSeeds, 1)
	replaced := func(k *killing) bool { return k.ship().Built == 2 && k.ship().Step == "create" }
	moments = append(moments,
		moment{name: "before create", when: func(k *killing) bool { return k.booked() }, goes: true},
		moment{name: "nothing asked yet", when: atStep("create")},
		moment{name: "reach", when: atStep("reach")},
		moment{name: "aboard", when: atStep("aboard")},
		moment{name: "clone", when: atStep("clone")},
		moment{name: "launch", when: atStep("launch")},
		moment{name: "replace, new one asked for", does: "replace", when: replaced, goes: true},
		moment{name: "replace, new one asked for, and sunk", does: "replace", when: replaced},
	)
}
