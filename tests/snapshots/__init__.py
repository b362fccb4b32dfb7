"""Pictures of screens, dialogs and states, compared by pytest-textual-snapshot."""
