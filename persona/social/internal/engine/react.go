package engine

import (
	"context"
	"slices"

	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
)

// AvailableActions returns the actions that a turn can perform. It drops emoji_reply if there are no stickers, and react if the
// platform has no reactions or if there is no message to react to.
func AvailableActions(ctx context.Context, t *Turn, actions ...hfc.Action) []hfc.Action {
	return slices.DeleteFunc(slices.Clone(actions), func(a hfc.Action) bool {
		switch a {
		case hfc.EmojiReply:
			return !t.Engine.Delivery.HasStickers(ctx)
		case hfc.React:
			return !canReact(t)
		}
		return false
	})
}

// canReact reports whether a turn can react to the message that it answers. QQ has reactions in groups only.
func canReact(t *Turn) bool {
	link := t.Engine.Options.Features
	return link.CanSend(t.Chat.ID).Reaction && len(link.Faces) > 0 && t.Chat.ID.Kind == persona.Group && t.Caller.Key != "" && !t.Caller.Action
}

// faceNames returns the names of the faces that a turn can react with.
func faceNames(t *Turn) (names []string) {
	if canReact(t) {
		for _, f := range t.Engine.Options.Features.Faces {
			names = append(names, f.Name)
		}
	}
	return names
}

// reaction returns the reaction with the face of this name, or with the first face if the name is unknown.
func reaction(t *Turn, name string) persona.Outgoing {
	faces := t.Engine.Options.Features.Faces
	i := slices.IndexFunc(faces, func(f persona.Face) bool { return f.Name == name })
	return persona.Outgoing{Reaction: persona.Reaction{MessageID: t.Caller.ID, Face: faces[max(i, 0)]}}
}
