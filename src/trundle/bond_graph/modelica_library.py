"""The Modelica classes that every exported model is made of: bodies, connections of six bonds, seals and joints, in the
words of [Kosenko 2022]. Twists are potentials, wrenches flow variables: what acts between components adds up to zero.
"""

LIBRARY = """
  connector Frame "multibond of a body: twist at its reference point, ground axes, and wrench into the component"
    Real v[3](each unit = "m/s");
    Real w[3](each unit = "rad/s");
    flow Real F[3](each unit = "N");
    flow Real M[3](each unit = "N.m");
  end Frame;

  connector Bond "one of the six bonds: motion of the second body against the first, effort on the second"
    Real f;
    flow Real e;
  end Bond;

  model Source "1-junction of a body whose motion is given: a source of flow"
    Frame frame;
    input Real flow_[6];
  equation
    frame.v = flow_[1:3];
    frame.w = flow_[4:6];
  end Source;

  model RigidBody "1-junction of a body: the rate of its momentum is the sum of all efforts"
    Frame frame;
    input Real I[6, 6] "inertance, ground axes";
    input Real weight[3];
    Real r[3] "place of the mass centre";
    Real Q[4] "unit quaternion (w, x, y, z)";
    Real v[3];
    Real w[3];
    Real p[6] "momentum";
  equation
    frame.v = v;
    frame.w = w;
    der(r) = v;
    der(Q[1]) = (-w[1] * Q[2] - w[2] * Q[3] - w[3] * Q[4]) / 2;
    der(Q[2]) = (w[1] * Q[1] + w[2] * Q[4] - w[3] * Q[3]) / 2;
    der(Q[3]) = (w[2] * Q[1] + w[3] * Q[2] - w[1] * Q[4]) / 2;
    der(Q[4]) = (w[3] * Q[1] + w[1] * Q[3] - w[2] * Q[2]) / 2;
    p[1:3] = I[1:3, 1:3] * v;
    p[4:6] = I[4:6, 4:6] * w;
    der(p[1:3]) = frame.F + weight;
    der(p[4:6]) = frame.M;
  end RigidBody;

  model Wrench "source of effort on one body"
    Frame frame;
    input Real arm[3];
    input Real effort[6] "force, moment";
  equation
    frame.F = -effort[1:3];
    frame.M = -(effort[4:6] + cross(arm, effort[1:3]));
  end Wrench;

  model Line "0-junction with one bond: a row over the twist of each body"
    Frame a;
    Frame b;
    Bond bond;
    input Real row_a[6];
    input Real row_b[6];
  equation
    bond.f = row_b[1:3] * b.v + row_b[4:6] * b.w - row_a[1:3] * a.v - row_a[4:6] * a.w;
    a.F = bond.e * row_a[1:3];
    a.M = bond.e * row_a[4:6];
    b.F = -bond.e * row_b[1:3];
    b.M = -bond.e * row_b[4:6];
  end Line;

  model Bushing "0-junction with one multibond: a wrench between two bodies"
    Frame a;
    Frame b;
    input Real arm_a[3];
    input Real arm_b[3];
    input Real effort[6] "on the second body";
  equation
    a.F = effort[1:3];
    a.M = effort[4:6] + cross(arm_a, effort[1:3]);
    b.F = -effort[1:3];
    b.M = -(effort[4:6] + cross(arm_b, effort[1:3]));
  end Bushing;

  partial model Junction "0-junction, three transformers and six bonds [Kosenko 2022, Fig. 2]"
    Frame a "first body";
    Frame b "second body";
    input Real arm_a[3] "from the reference point to the point of connection";
    input Real arm_b[3];
    input Real T[6, 6] "flows of the bonds from the relative twist";
    Real relative[6] "twist of the second body against the first at the point of connection";
    Real wrench[6] "on the second body at the point of connection";
    Real f[6] "flows of the bonds x, y, z, rx, ry, rz: motion of the second body against the first";
    Real e[6] "their efforts, on the second body";
  equation
    relative[1:3] = b.v + cross(b.w, arm_b) - a.v - cross(a.w, arm_a);
    relative[4:6] = b.w - a.w;
    f = T * relative;
    wrench = transpose(T) * e;
    a.F = wrench[1:3];
    a.M = wrench[4:6] + cross(arm_a, wrench[1:3]);
    b.F = -wrench[1:3];
    b.M = -(wrench[4:6] + cross(arm_b, wrench[1:3]));
  end Junction;

  model Connection "six bonds, each to be connected to its seals"
    extends Junction;
    Bond bond[6] "x, y, z, rx, ry, rz";
  equation
    bond.f = f;
    bond.e = e;
  end Connection;

  model FC "flow constraint: no relative motion"
    Bond bond;
  equation
    bond.f = 0;
  end FC;

  model Sf "source of flow: the rate is given"
    Bond bond;
    input Real rate;
  equation
    bond.f = rate;
  end Sf;

  model Servo "the acceleration is given"
    Bond bond;
    input Real acceleration;
  equation
    der(bond.f) = acceleration;
  end Servo;

  model EC "effort constraint: no force or moment"
    Bond bond;
  equation
    bond.e = 0;
  end EC;

  model Effort "an effort that follows a law: C, R or Se"
    Bond bond;
    input Real effort "on the second body";
  equation
    bond.e = -effort;
  end Effort;

  partial model Joint "an axis of the first body stays on an axis of the second; bonds z and rz are left"
    extends Junction;
  equation
    f[1] = 0;
    f[2] = 0;
    f[4] = 0;
    f[5] = 0;
  end Joint;

  model FixedIdealJoint "mu = 0, M = 0"
    extends Joint;
  equation
    f[3] = 0;
    e[6] = 0;
  end FixedIdealJoint;

  model FreeIdealJoint "F = 0, M = 0"
    extends Joint;
  equation
    e[3] = 0;
    e[6] = 0;
  end FreeIdealJoint;

  model FreeSlideJoint "F = 0, lambda = 0"
    extends Joint;
  equation
    e[3] = 0;
    f[6] = 0;
  end FreeSlideJoint;

  model SpringIdealJoint "F by a law, M = 0; connect the law to the bond"
    extends Joint;
    Bond bond;
  equation
    bond.f = f[3];
    bond.e = e[3];
    e[6] = 0;
  end SpringIdealJoint;

  model FixedControlledJoint "mu = 0, M or lambda by a law; connect the law to the bond"
    extends Joint;
    Bond bond;
  equation
    f[3] = 0;
    bond.f = f[6];
    bond.e = e[6];
  end FixedControlledJoint;

  model FixedServoJoint "mu = 0, lambda by a law"
    extends Joint;
    input Real acceleration;
  equation
    f[3] = 0;
    der(f[6]) = acceleration;
  end FixedServoJoint;
"""
