package onebot

// params are the parameters of an action, by their names on the wire.
type params map[string]any

// and adds a parameter that is left out when it is zero.
func and[T comparable](p params, key string, v T) params {
	var zero T
	if v != zero {
		p[key] = v
	}
	return p
}

// chat names a group or, where there is none, a person.
func chat(groupID, userID int64) params {
	if groupID != 0 {
		return params{"group_id": groupID}
	}
	return params{"user_id": userID}
}
