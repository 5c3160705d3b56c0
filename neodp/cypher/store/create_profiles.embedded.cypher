// Create the own node of a set of profiles.
CREATE (:Profiles {name: $profiles, created: $created, users: $users, items: $items, likes: $likes})
